from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('reviewer', '0019_check_off'),
    ]

    operations = [
        migrations.AddField(
            model_name='approval',
            name='asked_under',
            field=models.CharField(blank=True, max_length=300),
        ),
    ]
